package io.statestore.console;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

import io.statestore.client.Key;
import io.statestore.client.KeyPage;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.GlobPattern;
import org.jspecify.annotations.Nullable;

/**
 * Search for readable keys, page by page. Reads only as much of the store as a page
 * needs. A key that exists during the entire search is found; a few keys may be found
 * twice.
 */
final class KeySearch {

	static final int PAGE = 100;

	/**
	 * How long a page is filled, so that the browser does not wait longer.
	 */
	private static final Duration LIMIT = Duration.ofSeconds(2);

	private final ReadableKeys readable;

	private final String search;

	private final GlobPattern.Matcher matcher;

	private final BiFunction<String, @Nullable Bytes, KeyPage> scan;

	/**
	 * Creates a search.
	 * @param search a pattern, or a substring of keys
	 * @param scan returns the store's page for a pattern and a token
	 * @throws io.statestore.protocol.ProtocolException if the pattern is invalid
	 */
	KeySearch(ReadableKeys readable, String search, BiFunction<String, @Nullable Bytes, KeyPage> scan) {
		this.readable = readable;
		this.search = (GlobPattern.of(Bytes.of(search)).literal() != null) ? '*' + search + '*' : search;
		this.matcher = GlobPattern.of(Bytes.of(this.search)).matcher();
		this.scan = scan;
	}

	/**
	 * Returns the next page.
	 * @param from where the page begins; {@code null} for the first page
	 */
	Page next(@Nullable Position from) {
		long end = System.nanoTime() + LIMIT.toNanos();
		Position position = (from != null) ? from : new Position(0, null, null);
		List<Key> found = new ArrayList<>();
		while (position != null && found.size() < PAGE && System.nanoTime() - end < 0) {
			position = readPage(position, found);
		}
		return new Page(found, position);
	}

	/**
	 * Adds keys from one of the store's pages. Returns where the next read begins;
	 * {@code null} at the end.
	 */
	private @Nullable Position readPage(Position position, List<Key> found) {
		int pattern = position.pattern();
		if (pattern >= this.readable.patterns().size()) {
			return null;
		}
		KeyPage page = this.scan.apply(this.readable.toScan(pattern, this.search), position.token());
		// If the last key was deleted, its page is read again from the start.
		int start = (position.last() != null) ? page.keys().indexOf(new Key(position.last())) + 1 : 0;
		for (Key key : page.keys().subList(start, page.keys().size())) {
			if (this.readable.patternOf(key.bytes()) == pattern && this.matcher.matches(key.bytes())) {
				found.add(key);
				if (found.size() == PAGE) {
					return new Position(pattern, position.token(), key.bytes());
				}
			}
		}
		return (page.token() != null) ? new Position(pattern, page.token(), null)
				: new Position(pattern + 1, null, null);
	}

	/**
	 * A page of keys.
	 *
	 * @param keys readable keys that match the search
	 * @param next where the next page begins; {@code null} if this is the last page
	 */
	record Page(List<Key> keys, @Nullable Position next) {
	}

	/**
	 * Position in a search.
	 *
	 * @param pattern index of the pattern to scan
	 * @param token token of the store's page; {@code null} for the first page
	 * @param last last key that was found in this page; {@code null} if there is none
	 */
	record Position(int pattern, @Nullable Bytes token, @Nullable Bytes last) {

		/**
		 * Parses the string form of a position.
		 * @throws IllegalArgumentException if the string is malformed
		 */
		static Position parse(String text) {
			String[] parts = text.split(":", -1);
			if (parts.length != 3 || !parts[0].matches("\\d{1,6}")) {
				throw new IllegalArgumentException("The page does not exist. Search again");
			}
			return new Position(Integer.parseInt(parts[0]), bytes(parts[1]), bytes(parts[2]));
		}

		private static @Nullable Bytes bytes(String hex) {
			return hex.isEmpty() ? null : Bytes.ofHex(hex);
		}

		@Override
		public String toString() {
			return this.pattern + ":" + hex(this.token) + ':' + hex(this.last);
		}

		private static String hex(@Nullable Bytes bytes) {
			return (bytes != null) ? bytes.toHex() : "";
		}

	}

}
