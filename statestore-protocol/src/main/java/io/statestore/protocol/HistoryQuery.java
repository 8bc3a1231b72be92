package io.statestore.protocol;

import org.jspecify.annotations.Nullable;

/**
 * A request for one page of a store's history. The server returns only changes of keys
 * that the client may read.
 *
 * @param pattern pattern for keys, as in a SCAN
 * @param after the version after which the changes begin, or {@code null} for all changes
 * that the server has kept
 * @param content the version at which the store's content is requested, or {@code null}
 * to request only changes. With a version, the answer begins with the content at this or
 * an earlier version and ends with the changes up to this version
 * @param latest whether the changes are returned in reverse order, without the content
 * with which the history begins. The last of them is a gap if older changes are missing
 * @param token the token from the previous page, or {@code null} for the first page
 */
public record HistoryQuery(Bytes pattern, @Nullable Version after, @Nullable Version content, boolean latest,
		@Nullable String token) implements AdministrationRequest {

	/**
	 * Creates a query.
	 * @throws IllegalArgumentException if more than one of the versions and
	 * {@code latest} is present
	 */
	public HistoryQuery {
		if (after != null && content != null || latest && (after != null || content != null)) {
			throw new IllegalArgumentException("Only one of 'after', 'content', and 'latest' can be present");
		}
	}

	/**
	 * Creates a query for changes in order.
	 * @throws IllegalArgumentException if both versions are present
	 */
	public HistoryQuery(Bytes pattern, @Nullable Version after, @Nullable Version content, @Nullable String token) {
		this(pattern, after, content, false, token);
	}

	/**
	 * Returns the query for the next page.
	 * @param token the token from the previous page
	 * @return a copy with the token
	 */
	public HistoryQuery next(String token) {
		return new HistoryQuery(this.pattern, this.after, this.content, this.latest, token);
	}

}
