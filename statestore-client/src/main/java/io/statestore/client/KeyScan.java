package io.statestore.client;

import java.util.Iterator;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Keys that match a pattern, read from the store page by page during an iteration. A page
 * is requested only when the iteration reaches it, so stopping early saves the remaining
 * requests.
 * <p>
 * Every iteration is a new scan. Keys that are set or deleted during a scan may or may
 * not appear in it. An iterator throws {@link StateStoreException} if a page cannot be
 * read; calling it again requests the same page again. Iterators are not thread-safe.
 */
@FunctionalInterface
public interface KeyScan extends Iterable<Key> {

	/**
	 * Returns an iterator over a new scan.
	 * @return the iterator, which blocks while it reads a page
	 */
	@Override
	Iterator<Key> iterator();

	@Override
	default Spliterator<Key> spliterator() {
		return Spliterators.spliteratorUnknownSize(iterator(), Spliterator.ORDERED | Spliterator.NONNULL);
	}

	/**
	 * Returns a stream over a new scan, which also reads page by page.
	 * @return the stream, which need not be closed
	 */
	default Stream<Key> stream() {
		return StreamSupport.stream(spliterator(), false);
	}

}
