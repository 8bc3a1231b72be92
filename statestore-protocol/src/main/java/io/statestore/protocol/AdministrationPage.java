package io.statestore.protocol;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * One page of the answer to an administration request. May be empty even if another page
 * follows.
 *
 * @param <T> the type of the items: {@link StoredLock}, {@link ConnectedClient},
 * {@link StoredSession}, {@link StoredChange}, {@link ClusterNodeState}, or {@link Bytes}
 * for a backup
 * @param items the items on this page
 * @param token the token with which to request the next page, or {@code null} if this is
 * the last page
 */
public record AdministrationPage<T>(List<T> items, @Nullable String token) {

	/** Creates a page with a copy of the list. */
	public AdministrationPage {
		items = List.copyOf(items);
	}

}
