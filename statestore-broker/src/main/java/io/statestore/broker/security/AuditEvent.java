package io.statestore.broker.security;

import org.slf4j.event.Level;

/**
 * Kinds of events in the {@link AuditLog}.
 * <p>
 * Internal: not part of the API.
 */
public enum AuditEvent {

	/** An administrator copies the store. */
	BACKUP("backup", Level.INFO),

	/** An administrator changes the members or the leader of a cluster. */
	CLUSTER_CHANGE("cluster-change", Level.INFO),

	/** A request, message, subscription, or will that is not permitted. */
	DENIED("denied", Level.WARN),

	/** A client has logged in. */
	LOGIN("login", Level.INFO),

	/** Wrong credentials, or none where they are required. */
	LOGIN_FAILED("login-failed", Level.WARN),

	/** The rules were read again. */
	RULES_CHANGED("rules-changed", Level.INFO),

	/** The changed rules are invalid. The earlier ones remain in force. */
	RULES_INVALID("rules-invalid", Level.WARN),

	/** An administrator ends the session of a client. */
	SESSION_END("session-end", Level.INFO);

	private final String text;

	private final Level level;

	AuditEvent(String text, Level level) {
		this.text = text;
		this.level = level;
	}

	Level level() {
		return this.level;
	}

	@Override
	public String toString() {
		return this.text;
	}

}
