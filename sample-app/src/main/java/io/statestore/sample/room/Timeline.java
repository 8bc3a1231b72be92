package io.statestore.sample.room;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

import io.statestore.sample.room.LineHistory.Change;

/**
 * Changes of a key over time, for an SVG picture of 1000 units in width, with a lane for
 * each author.
 *
 * @param lanes the lanes
 * @param dots the changes in the lanes, oldest first
 * @param height height of the picture
 * @param first time of the first change, in milliseconds since 1970
 * @param last time of the last change
 * @param from time of the first change, for readers
 * @param to time of the last change, for readers
 */
record Timeline(List<Lane> lanes, List<Dot> dots, int height, long first, long last, String from, String to) {

	private static final DateTimeFormatter MOMENT = DateTimeFormatter.ofPattern("d MMM, HH:mm:ss.SSS", Locale.ENGLISH)
		.withZone(ZoneId.systemDefault());

	private static final int LANE = 34;

	private static final int MARGIN = 10;

	private static final int WIDTH = 1000;

	/** Further authors share the last lane. */
	private static final int MAX_LANES = 6;

	static Timeline of(List<Change> changes) {
		if (changes.isEmpty()) {
			return new Timeline(List.of(), List.of(), LANE, 0, 0, "", "");
		}
		long first = changes.get(0).at().toEpochMilli();
		long last = Math.max(changes.get(changes.size() - 1).at().toEpochMilli(), first + 1);
		List<String> authors = new ArrayList<>();
		List<Dot> dots = new ArrayList<>();
		for (Change change : changes) {
			String author = author(change);
			if (!authors.contains(author)) {
				if (authors.size() == MAX_LANES) {
					author = "others";
					authors.set(MAX_LANES - 1, author);
				}
				else {
					authors.add(author);
				}
			}
			int lane = Math.max(0, authors.indexOf(author));
			dots.add(Dot.of(change, lane, x(change.at(), first, last), LANE / 2 + lane * LANE));
		}
		List<Lane> lanes = new ArrayList<>();
		for (int i = 0; i < authors.size(); i++) {
			lanes.add(new Lane(authors.get(i), i, LANE / 2 + i * LANE));
		}
		return new Timeline(lanes, dots, lanes.size() * LANE, first, last, moment(Instant.ofEpochMilli(first)),
				moment(Instant.ofEpochMilli(last)));
	}

	private static String author(Change change) {
		String author = change.author();
		return (author != null) ? ReadableText.key(author) : "expired";
	}

	private static String x(Instant at, long first, long last) {
		double part = (double) (at.toEpochMilli() - first) / (last - first);
		return Chart.number(MARGIN + Math.max(0, Math.min(1, part)) * (WIDTH - 2 * MARGIN));
	}

	static String moment(Instant at) {
		return MOMENT.format(at);
	}

	/** Returns the changes, latest first. */
	public List<Dot> latest() {
		List<Dot> latest = new ArrayList<>(this.dots);
		Collections.reverse(latest);
		return latest;
	}

	/** Lane of an author. */
	record Lane(String author, int number, int y) {
	}

	/** A change. */
	record Dot(String value, boolean removed, String author, int lane, String x, int y, long millis, String time,
			String instant, String version, String fullVersion) {

		static Dot of(Change change, int lane, String x, int y) {
			String value = change.value();
			String removal = (change.author() != null) ? "deleted" : "expired";
			return new Dot((value != null) ? ReadableText.value(value) : removal, value == null,
					Timeline.author(change), lane, x, y, change.at().toEpochMilli(), moment(change.at()),
					change.at().toString(), ReadableText.version(change.version()), ReadableText.key(change.version()));
		}

		/** Returns the parts of the value between which a line may break. */
		public List<String> parts() {
			return ReadableText.parts(this.value);
		}

	}

}
