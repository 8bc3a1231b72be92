package io.statestore.protocol;

import org.jspecify.annotations.Nullable;

/**
 * A request for one page of the history of a store. The server returns only changes of
 * keys that the client may read.
 *
 * @param pattern pattern of the keys, as for a SCAN
 * @param after the version behind which the changes begin, or {@code null} for all that
 * the server keeps
 * @param content the version at which the content of the store is requested, or
 * {@code null} for changes only. The answer then begins with the content at this or an
 * earlier version, and ends with the changes up to this version
 * @param token the token of the previous page, or {@code null} for the first page
 */
public record HistoryQuery(Bytes pattern, @Nullable Version after, @Nullable Version content,
		@Nullable String token) implements AdministrationRequest {

	/**
	 * Creates a query.
	 * @throws IllegalArgumentException if both versions are present
	 */
	public HistoryQuery {
		if (after != null && content != null) {
			throw new IllegalArgumentException("'after' and 'content' must not both be present");
		}
	}

	/**
	 * Returns the query for the page behind another one.
	 * @param token the token of that page
	 * @return the query
	 */
	public HistoryQuery next(String token) {
		return new HistoryQuery(this.pattern, this.after, this.content, token);
	}

}
