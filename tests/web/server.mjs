// A static host: index.html for folders, 404.html of the site for what is missing, as files lie there.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join, normalize, sep } from 'node:path';

const TYPES = {
  atom: 'application/atom+xml', css: 'text/css; charset=utf-8', csv: 'text/csv; charset=utf-8',
  html: 'text/html; charset=utf-8', js: 'text/javascript; charset=utf-8', json: 'application/json',
  md: 'text/markdown; charset=utf-8', png: 'image/png', svg: 'image/svg+xml', txt: 'text/plain; charset=utf-8',
  xml: 'application/xml',
};

/**
 * Serves a folder on a free port. `path` is where in it the site stands ('/' or '/sub/path/'): what is
 * missing below it is answered with the 404.html there.
 * Returns `{ url, close }`; `url` has no slash at its end.
 */
export async function serve(home, path = '/') {
  const server = createServer(async (request, response) => {
    const send = async (status, file) => {
      const bytes = await readFile(file);
      response.writeHead(status, { 'content-type': TYPES[file.slice(file.lastIndexOf('.') + 1)] ?? 'application/octet-stream' });
      response.end(bytes);
    };
    try {
      const asked = decodeURIComponent(new URL(request.url, 'http://x').pathname);
      const file = normalize(join(home, asked.endsWith('/') ? `${asked}index.html` : asked));
      if (!file.startsWith(normalize(home) + sep)) throw new Error('outside');
      await send(200, file);
    } catch {
      await send(404, join(home, path, '404.html')).catch(() => response.writeHead(404).end('missing'));
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, close };
}
