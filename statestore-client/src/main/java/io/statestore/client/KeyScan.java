package io.statestore.client;

import java.util.Iterator;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * The keys that match a pattern, read from the store page by page while they are iterated
 * over. Nothing is requested before the first key is asked for, and no page before all
 * keys of the one before it have been taken, so that a caller may stop early.
 * <p>
 * Every iteration is a new scan. Keys that are set or deleted during a scan may or may
 * not appear in it. An iteration throws {@link StateStoreException} where a page cannot
 * be read; asking the same iterator again requests the same page again. An iteration
 * belongs to one thread.
 */
@FunctionalInterface
public interface KeyScan extends Iterable<Key> {

	/** A new scan. */
	@Override
	Iterator<Key> iterator();

	@Override
	default Spliterator<Key> spliterator() {
		return Spliterators.spliteratorUnknownSize(iterator(), Spliterator.ORDERED | Spliterator.NONNULL);
	}

	/** A new scan as a stream, which is just as lazy and needs no closing. */
	default Stream<Key> stream() {
		return StreamSupport.stream(spliterator(), false);
	}

}
