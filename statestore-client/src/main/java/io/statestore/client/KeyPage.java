package io.statestore.client;

import java.util.List;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Some of the keys that a scan finds. How many is up to the server, and a page may be
 * empty although others follow.
 *
 * @param keys the keys of this page, perhaps none
 * @param token where the next page begins, for
 * {@link StateStoreAsyncOperations#scan(String, Bytes)}; {@code null} on the last page
 */
public record KeyPage(List<Key> keys, @Nullable Bytes token) {

	public KeyPage {
		keys = List.copyOf(keys);
	}

	/** Whether another page follows. */
	public boolean hasNext() {
		return this.token != null;
	}

}
