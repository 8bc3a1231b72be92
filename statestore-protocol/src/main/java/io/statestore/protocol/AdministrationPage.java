package io.statestore.protocol;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * One page of an answer to an administration request. May be empty although another page
 * follows.
 *
 * @param <T> the type of the items: {@link StoredLock}, {@link ConnectedClient},
 * {@link StoredSession}, {@link StoredChange}, {@link ClusterNodeState}, or {@link Bytes}
 * for a backup
 * @param items the items of this page
 * @param token the token of the next page, or {@code null} if this is the last one
 */
public record AdministrationPage<T>(List<T> items, @Nullable String token) {

	/** Creates a page with a copy of the list. */
	public AdministrationPage {
		items = List.copyOf(items);
	}

}
