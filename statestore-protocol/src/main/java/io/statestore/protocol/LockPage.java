package io.statestore.protocol;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * One page of locks, the answer to a {@link LockQuery}. May be empty although another
 * page follows.
 *
 * @param locks the locks, in no particular order
 * @param token the token of the next page, or {@code null} if this is the last one
 */
public record LockPage(List<StoredLock> locks, @Nullable Bytes token) {

	/** Creates a page with a copy of the list. */
	public LockPage {
		locks = List.copyOf(locks);
	}

}
