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
 * Search for readable keys, page by page. Reads no more of the store than a page needs. A
 * key that exists during the whole search is found; a few may be found twice.
 */
final class KeySearch {

	static final int PAGE = 100;

	/**
	 * A page ends after this time even if it is not full, so that the browser waits no
	 * longer.
	 */
	private static final Duration LIMIT = Duration.ofSeconds(2);

	private final ReadableKeys readable;

	private final String search;

	private final GlobPattern.Matcher matcher;

	private final BiFunction<String, @Nullable Bytes, KeyPage> scan;

	/**
	 * Creates a search.
	 * @param search a pattern, or a part of the keys
	 * @param scan returns the page of a pattern and a token
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
	 * @param from where it begins, {@code null} for the first page
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
	 * Adds keys of one page of the store. Returns where the next read begins,
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
	 * @param keys the keys
	 * @param next where the next page begins, {@code null} if this is the last one
	 */
	record Page(List<Key> keys, @Nullable Position next) {
	}

	/**
	 * Position in a search.
	 *
	 * @param pattern index of the pattern that is scanned
	 * @param token token of the page of the store, {@code null} for the first one
	 * @param last last key of this page that was found, {@code null} for none
	 */
	record Position(int pattern, @Nullable Bytes token, @Nullable Bytes last) {

		/**
		 * Parses the text of a position.
		 * @throws IllegalArgumentException if it is malformed
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
