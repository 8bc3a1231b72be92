package io.statestore.broker.server;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

import io.statestore.protocol.StoredLock;

/** Shortens client ids for answers to administration requests. */
final class ShortIds {

	/** Size of an id's field name and length in an answer, in bytes. */
	private static final int OVERHEAD = 32;

	private ShortIds() {
	}

	/** Returns the longest prefix of an id that an answer may contain. */
	static String shorten(String id) {
		CharBuffer rest = CharBuffer.wrap(id);
		StandardCharsets.UTF_8.newEncoder()
			.onMalformedInput(CodingErrorAction.REPLACE)
			.encode(rest, ByteBuffer.allocate(StoredLock.MAX_CLIENT_ID_BYTES), true);
		return id.substring(0, rest.position());
	}

	/** Returns the size of an id in an answer, in bytes. */
	static int size(String shortId) {
		return OVERHEAD + shortId.getBytes(StandardCharsets.UTF_8).length;
	}

}
