package io.statestore.console;

import java.util.Collection;
import java.util.List;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.GlobPattern;
import io.statestore.protocol.ProtocolException;

/** Keys that a user may read. Thread-safe. */
final class ReadableKeys {

	private static final String ANY = "*";

	static final ReadableKeys ALL = new ReadableKeys(List.of(ANY));

	private final List<String> patterns;

	private final List<GlobPattern> parsed;

	/**
	 * Includes the keys that match any of the patterns.
	 * @throws IllegalStateException if a pattern is invalid
	 */
	ReadableKeys(Collection<String> patterns) {
		// Positions in a search refer to this order.
		this.patterns = patterns.stream().distinct().sorted().toList();
		this.parsed = this.patterns.stream().map(ReadableKeys::parse).toList();
	}

	private static GlobPattern parse(String pattern) {
		try {
			return GlobPattern.of(Bytes.of(pattern));
		}
		catch (ProtocolException ex) {
			throw new IllegalStateException("The bean of the type ConsoleAccess returned the invalid pattern '"
					+ pattern + "'. Close each [ with a ], and use at most " + GlobPattern.MAX_LENGTH + " bytes", ex);
		}
	}

	List<String> patterns() {
		return this.patterns;
	}

	boolean isAll() {
		return this.patterns.contains(ANY);
	}

	boolean contains(Bytes key) {
		return patternOf(key) >= 0;
	}

	/** Returns the index of the first pattern that matches a key; -1 if there is none. */
	int patternOf(Bytes key) {
		for (int i = 0; i < this.parsed.size(); i++) {
			if (this.parsed.get(i).matches(key)) {
				return i;
			}
		}
		return -1;
	}

	/**
	 * Returns the pattern to scan for keys that match both a user's pattern and a search.
	 * It never matches a key outside the user's pattern, so that neither the time of a
	 * search nor its tokens depend on hidden keys that match the search.
	 */
	String toScan(int index, String search) {
		String pattern = this.patterns.get(index);
		String prefix = pattern.substring(0, pattern.length() - 1);
		boolean anyWithPrefix = pattern.endsWith(ANY) && prefix.matches("[^*?\\[]*");
		return (anyWithPrefix && search.startsWith(prefix)) ? search : pattern;
	}

}
