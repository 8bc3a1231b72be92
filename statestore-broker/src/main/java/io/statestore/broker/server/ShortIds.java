package io.statestore.broker.server;

import java.nio.charset.StandardCharsets;

import io.statestore.protocol.StoredLock;

/** Client ids of limited length, for the answers to administration requests. */
final class ShortIds {

	/** Size of the name and the length of an id in an answer, in bytes. */
	private static final int OVERHEAD = 32;

	private ShortIds() {
	}

	/** Returns the longest start of an id that an answer may contain. */
	static String shorten(String id) {
		int bytes = 0;
		int end = 0;
		while (end < id.length()) {
			int character = id.codePointAt(end);
			bytes += utf8Length(character);
			if (bytes > StoredLock.MAX_CLIENT_ID_BYTES) {
				return id.substring(0, end);
			}
			end += Character.charCount(character);
		}
		return id;
	}

	private static int utf8Length(int character) {
		if (character < 0x80) {
			return 1;
		}
		if (character < 0x800) {
			return 2;
		}
		return (character < 0x10000) ? 3 : 4;
	}

	/** Returns the size of an id in an answer, in bytes. */
	static int size(String shortId) {
		return OVERHEAD + shortId.getBytes(StandardCharsets.UTF_8).length;
	}

}
