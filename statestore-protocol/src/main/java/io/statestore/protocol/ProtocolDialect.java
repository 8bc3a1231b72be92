package io.statestore.protocol;

/**
 * The dialect of a server's messages. Deployed clients and the published articles differ
 * in some messages (protocol section 9). Replies and notifications in either dialect can
 * be decoded.
 */
public enum ProtocolDialect {

	/** The dialect that deployed clients expect. This is the default. */
	CLIENTS,

	/**
	 * The dialect of the published articles. Commands may also be written as shown in the
	 * articles: with lowercase verbs, {@code NEX} with a value, and {@code KEYNOTIFY}
	 * with {@code GET}.
	 */
	SPECIFICATION

}
