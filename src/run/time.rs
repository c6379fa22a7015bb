//! Times of measurement: a date, or a date with a time, with or without an offset. A time without
//! an offset stays one until a time zone is given; the machine's own zone is never asked.

use jiff::civil;
use jiff::tz::{Offset, TimeZone};

/// A time of measurement, as precisely as it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasuredAt {
    date: civil::Date,
    time: Option<civil::Time>,
    offset: Option<Offset>,
}

/// Why a text is no time of measurement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "is not a date or time (expected 2026-09-13, 2026-09-13T02:25:00 or 2026-09-13T02:25:00+02:00)"
)]
pub struct TimeError;

impl MeasuredAt {
    /// Reads RFC 3339 with the time and the offset optional, a blank allowed in the place of the
    /// `T`, and fractions of a second dropped.
    ///
    /// # Errors
    /// [`TimeError`] for anything else, and for days and hours that do not exist.
    pub fn parse(text: &str) -> Result<Self, TimeError> {
        let text = text.trim();
        let (date, rest) = match text.find(['T', 't', ' ']) {
            Some(at) => {
                let (date, rest) = text.split_at_checked(at).ok_or(TimeError)?;
                (date, rest.get(1..).unwrap_or_default().trim())
            }
            None => (text, ""),
        };
        let date: civil::Date = date.parse().map_err(|_| TimeError)?;
        if rest.is_empty() {
            return Ok(Self {
                date,
                time: None,
                offset: None,
            });
        }
        let (clock, offset) = match rest.find(['Z', 'z', '+', '-']) {
            Some(at) => {
                let (clock, zone) = rest.split_at_checked(at).ok_or(TimeError)?;
                (clock, Some(parse_offset(zone).ok_or(TimeError)?))
            }
            None => (rest, None),
        };
        let time: civil::Time = clock.trim().parse().map_err(|_| TimeError)?;
        let time = civil::Time::new(time.hour(), time.minute(), time.second(), 0)
            .map_err(|_| TimeError)?;
        Ok(Self {
            date,
            time: Some(time),
            offset,
        })
    }

    /// Built from a date and a time of day, for importers that read other notations.
    pub fn new(date: civil::Date, time: Option<civil::Time>, offset: Option<Offset>) -> Self {
        Self { date, time, offset }
    }

    /// Whether there is a time of day but nothing that says where on Earth.
    pub fn lacks_zone(self) -> bool {
        self.time.is_some() && self.offset.is_none()
    }

    /// The same time with the offset that the zone had then; unchanged where nothing is missing.
    /// A time that a change of clocks made ambiguous is read as the earlier one.
    ///
    /// # Errors
    /// The zone's name, where it is not in the IANA database that is built in.
    pub fn in_zone(self, zone: &str) -> Result<Self, String> {
        let tz = TimeZone::get(zone).map_err(|_| zone.to_owned())?;
        let Some(time) = self.time.filter(|_| self.offset.is_none()) else {
            return Ok(self);
        };
        let offset = tz
            .to_ambiguous_zoned_datetime(self.date.to_datetime(time))
            .compatible()
            .map_err(|_| zone.to_owned())?
            .offset();
        Ok(Self {
            offset: Some(offset),
            ..self
        })
    }

    /// Seconds since 1970 for sorting; a missing time of day is midnight, a missing zone UTC.
    pub fn sort_key(self) -> i64 {
        let datetime = self
            .date
            .to_datetime(self.time.unwrap_or_else(civil::Time::midnight));
        self.offset
            .unwrap_or(Offset::UTC)
            .to_timestamp(datetime)
            .map_or(i64::MIN, jiff::Timestamp::as_second)
    }

    /// The notation of `run.json`: `2026-09-13T02:25:00Z`.
    pub fn to_rfc3339(self) -> String {
        let mut out = self.date.to_string();
        if let Some(time) = self.time {
            out.push_str(&time.strftime("T%H:%M:%S").to_string());
        }
        if let Some(offset) = self.offset {
            out.push_str(&offset_text(offset, "Z"));
        }
        out
    }

    /// The moment in UTC, `2026-09-13T02:25:00Z`, for formats that know nothing else: a missing
    /// time of day is midnight, a missing zone UTC. `None` outside the years 1 to 9999, which they
    /// cannot write.
    pub fn to_utc(self) -> Option<String> {
        let utc = jiff::Timestamp::from_second(self.sort_key()).ok()?;
        Some(utc.to_string()).filter(|text| text.as_str() >= "0001")
    }

    /// The notation of the page: `Sep 13, 2026, 02:25 UTC`, with words where the zone is missing.
    pub fn display(self) -> String {
        let date = self.date.strftime("%b %-d, %Y");
        match (self.time, self.offset) {
            (None, _) => date.to_string(),
            (Some(time), None) => {
                format!("{date}, {} (time zone not given)", time.strftime("%H:%M"))
            }
            (Some(time), Some(offset)) => {
                let zone = if offset == Offset::UTC {
                    "UTC".to_owned()
                } else {
                    format!("UTC{}", offset_text(offset, ""))
                };
                format!("{date}, {} {zone}", time.strftime("%H:%M"))
            }
        }
    }

    /// The day in the notation of the page, `Sep 13, 2026`, in the zone that it was given in.
    pub fn day(self) -> String {
        self.date.strftime("%b %-d, %Y").to_string()
    }

    /// The date alone, `2026-09-13`, in the zone that it was given in.
    pub fn date(self) -> String {
        self.date.to_string()
    }
}

/// `Z`, `+02:00`, `-0400`, `+02`.
fn parse_offset(text: &str) -> Option<Offset> {
    if text.eq_ignore_ascii_case("z") {
        return Some(Offset::UTC);
    }
    let (sign, digits) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let digits: String = digits.chars().filter(|c| *c != ':').collect();
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes) = match digits.len() {
        2 => (digits.parse::<i32>().ok()?, 0),
        4 => (
            digits.get(..2)?.parse::<i32>().ok()?,
            digits.get(2..)?.parse::<i32>().ok()?,
        ),
        _ => return None,
    };
    if minutes > 59 {
        return None;
    }
    Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()
}

fn offset_text(offset: Offset, zero: &str) -> String {
    let seconds = offset.seconds();
    if seconds == 0 && !zero.is_empty() {
        return zero.to_owned();
    }
    let sign = if seconds < 0 { '-' } else { '+' };
    let minutes = seconds.abs() / 60;
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> MeasuredAt {
        MeasuredAt::parse(text).unwrap()
    }

    #[test]
    fn times_keep_the_offset_they_were_given_with() {
        for (text, rfc, shown) in [
            (
                "2026-09-13T02:25:00Z",
                "2026-09-13T02:25:00Z",
                "Sep 13, 2026, 02:25 UTC",
            ),
            (
                "2026-09-13 02:25",
                "2026-09-13T02:25:00",
                "Sep 13, 2026, 02:25 (time zone not given)",
            ),
            (
                "2026-09-24T09:44:25.097337-04:00",
                "2026-09-24T09:44:25-04:00",
                "Sep 24, 2026, 09:44 UTC-04:00",
            ),
            ("2026-09-13", "2026-09-13", "Sep 13, 2026"),
            (
                "2026-09-27T10:20:00.000000+00:00",
                "2026-09-27T10:20:00Z",
                "Sep 27, 2026, 10:20 UTC",
            ),
        ] {
            assert_eq!(parse(text).to_rfc3339(), rfc);
            assert_eq!(parse(text).display(), shown);
            assert_eq!(parse(rfc), parse(text), "reading what was written");
        }
    }

    #[test]
    fn a_zone_is_used_only_where_the_offset_is_missing() {
        let naive = parse("2026-07-01T12:00:00");
        assert_eq!(
            naive.in_zone("Europe/Berlin").unwrap().to_rfc3339(),
            "2026-07-01T12:00:00+02:00"
        );
        assert_eq!(
            naive.in_zone("UTC").unwrap().to_rfc3339(),
            "2026-07-01T12:00:00Z"
        );
        let fixed = parse("2026-07-01T12:00:00Z");
        assert_eq!(fixed.in_zone("Europe/Berlin").unwrap(), fixed);
        assert_eq!(
            naive.in_zone("Europe/Bärlin"),
            Err("Europe/Bärlin".to_owned())
        );
        assert!(naive.lacks_zone() && !fixed.lacks_zone() && !parse("2026-07-01").lacks_zone());
    }

    #[test]
    fn times_without_zone_sort_as_utc() {
        assert_eq!(
            parse("2026-07-01T12:00:00").sort_key(),
            parse("2026-07-01T12:00:00Z").sort_key()
        );
        assert!(
            parse("2026-07-01T12:00:00+02:00").sort_key()
                < parse("2026-07-01T12:00:00Z").sort_key()
        );
    }

    #[test]
    fn formats_that_know_only_moments_get_one() {
        for (text, utc) in [
            ("2026-09-13", Some("2026-09-13T00:00:00Z")),
            ("2026-09-13T02:25:00", Some("2026-09-13T02:25:00Z")),
            ("2026-09-13T02:25:00+02:00", Some("2026-09-13T00:25:00Z")),
            ("0001-01-01T00:00:00+02:00", None),
            ("-000001-01-01", None),
        ] {
            assert_eq!(parse(text).to_utc().as_deref(), utc, "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "yesterday",
            "2026-13-01",
            "2026-02-30",
            "2026-01-01T25:00",
            "2026-01-01T10:00+99",
            "13.09.2026",
            "2026-01-01T10:00 CEST",
            "–T",
        ] {
            assert_eq!(MeasuredAt::parse(text), Err(TimeError), "{text}");
        }
    }
}
