package io.statestore.sample.room;

import java.time.Instant;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * The latest rejected write. Its tokens differ at the end only, so the page shows their
 * common beginning less prominently.
 *
 * @param press the press that wrote
 * @param newerPress the press with the newer token
 * @param common the common beginning of both tokens
 * @param token the rest of its token
 * @param newerToken the rest of the newer token
 * @param instant time for programs
 * @param time time for readers
 * @param explanation sentence about it
 */
record RejectedView(String press, String newerPress, String common, String token, String newerToken, String instant,
		String time, String explanation) {

	static @Nullable RejectedView of(Rejected rejected) {
		Rejected.Write write = rejected.latest();
		if (write == null) {
			return null;
		}
		String token = ReadableText.key(write.token());
		String newer = ReadableText.key(write.newerToken());
		int common = commonLength(token, newer);
		Instant at = write.at();
		return new RejectedView(ReadableText.key(write.press()), ReadableText.key(write.newerPress()),
				token.substring(0, common), token.substring(common), newer.substring(common), Objects.toString(at, ""),
				(at != null) ? Timeline.moment(at) : "", Objects.toString(rejected.explanation(), ""));
	}

	private static int commonLength(String one, String other) {
		int length = 0;
		while (length < Math.min(one.length(), other.length()) && one.charAt(length) == other.charAt(length)) {
			length++;
		}
		return length;
	}

}
