package io.statestore.client;

import java.util.List;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * One page of the keys found by a scan. The server determines the page size. A page can
 * be empty even if more pages follow.
 *
 * @param keys the keys of this page
 * @param token token of the next page, for
 * {@link StateStoreAsyncOperations#scan(String, Bytes)}; {@code null} on the last page
 */
public record KeyPage(List<Key> keys, @Nullable Bytes token) {

	/** Creates a page with a copy of the keys. */
	public KeyPage {
		keys = List.copyOf(keys);
	}

	/**
	 * Returns whether another page follows.
	 * @return {@code true} unless this is the last page
	 */
	public boolean hasNext() {
		return this.token != null;
	}

}
