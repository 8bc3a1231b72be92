package io.statestore.protocol;

/**
 * Protocol dialect of the messages of a server. Deployed clients and the published
 * articles differ in some of them (protocol section 9). Replies and notifications are
 * decoded in either form.
 */
public enum ProtocolDialect {

	/** The form that deployed clients expect. The default. */
	CLIENTS,

	/**
	 * The form of the published articles. Commands may also be written as the articles
	 * show them: with lowercase verbs, {@code NEX} with a value, and {@code KEYNOTIFY}
	 * with {@code GET}.
	 */
	SPECIFICATION

}
