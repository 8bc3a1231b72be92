package io.statestore.client.observability;

import io.micrometer.common.KeyValue;
import io.statestore.client.Key;
import org.jspecify.annotations.Nullable;

/** Formats keys, calls, and failures as key values. */
final class KeyTexts {

	/**
	 * Maximum number of characters shown of a key, because keys can have many kilobytes.
	 */
	private static final int MAX_LENGTH = 256;

	private KeyTexts() {
	}

	static String shorten(Key key) {
		String text = key.toString();
		if (text.length() <= MAX_LENGTH) {
			return text;
		}
		int end = Character.isHighSurrogate(text.charAt(MAX_LENGTH - 1)) ? MAX_LENGTH - 1 : MAX_LENGTH;
		return text.substring(0, end);
	}

	static String operation(StateStoreCallContext call) {
		return (call.keyCount() > 1) ? "BATCH " + call.command() : call.command();
	}

	static String errorType(@Nullable Throwable failure) {
		if (failure == null) {
			return KeyValue.NONE_VALUE;
		}
		String name = failure.getClass().getSimpleName();
		return !name.isEmpty() ? name : failure.getClass().getName();
	}

}
