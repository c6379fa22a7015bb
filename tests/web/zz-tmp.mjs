import { chromium } from 'playwright-core';
const b = await chromium.launch({executablePath:'/usr/bin/chromium',args:['--no-sandbox','--disable-gpu','--disable-quic','--no-first-run','--disable-background-networking','--disable-component-update','--disable-sync']});
const p = await b.newPage();
p.on('console', m=>console.error('console', m.text()));
p.on('pageerror', m=>console.error('error', m));
await p.goto(process.argv[2]);
await p.keyboard.press('Control+a');
process.stdout.write(await p.evaluate(()=>getSelection().toString()));
await b.close();
