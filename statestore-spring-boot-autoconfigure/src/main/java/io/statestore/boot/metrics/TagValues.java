package io.statestore.boot.metrics;

import java.util.Locale;

/** Values of tags, in lower case with hyphens. */
final class TagValues {

	private TagValues() {
	}

	static String of(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
