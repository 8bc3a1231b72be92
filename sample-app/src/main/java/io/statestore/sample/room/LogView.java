package io.statestore.sample.room;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Entry of the event log.
 *
 * @param id identifier of its element
 * @param instant time for programs
 * @param time time for readers
 * @param style class of its element
 * @param word its kind
 * @param text sentence about it
 */
record LogView(String id, String instant, String time, String style, String word, String text) {

	private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT)
		.withZone(ZoneId.systemDefault());

	static LogView of(LogEntry entry) {
		String word = switch (entry.kind()) {
			case CHANGE -> "Change";
			case LEADER -> "Leader";
			case REJECTED -> "Rejected";
			case FAILURE -> "Failure";
		};
		return new LogView("e" + entry.number(), entry.at().toString(), time(entry.at()), word.toLowerCase(Locale.ROOT),
				word, entry.text());
	}

	/** Returns the entries, latest first. */
	static List<LogView> of(List<LogEntry> entries) {
		return entries.stream().sorted(Comparator.comparingLong(LogEntry::number).reversed()).map(LogView::of).toList();
	}

	static String time(Instant at) {
		return TIME.format(at);
	}

}
