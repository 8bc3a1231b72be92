package io.statestore.broker.security;

import java.net.InetAddress;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * A line in the {@link AuditLog}, written by {@link #log()}. Text from clients is escaped
 * so that it cannot forge lines or fields. Long values are truncated. Not thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public final class AuditLine {

	/** Maximum number of characters in a value. */
	static final int MAX_LENGTH = 256;

	/** A line that is omitted and therefore not written. */
	static final AuditLine OMITTED = new AuditLine(null, Level.INFO, "");

	private final @Nullable Logger logger;

	private final Level level;

	private final StringBuilder text;

	AuditLine(@Nullable Logger logger, Level level, String start) {
		this.logger = logger;
		this.level = level;
		this.text = new StringBuilder(start);
	}

	/** Returns a field with a client's name, or an empty string if the name is empty. */
	static String name(String field, String name) {
		return ' ' + field + '=' + (name.isEmpty() ? ClientPrincipal.ANONYMOUS : quote(name));
	}

	private static String quote(String value) {
		String shown = (value.length() > MAX_LENGTH) ? value.substring(0, MAX_LENGTH) + "…" : value;
		return '"' + LogText.escape(shown.replace("\\", "\\\\").replace("\"", "\\\"")) + '"';
	}

	/**
	 * Adds a field whose value is quoted and escaped.
	 * @param name the name of the field
	 * @param value the value, {@code null} to omit the field
	 * @return this line
	 */
	public AuditLine text(String name, @Nullable String value) {
		return word(name, (this.logger != null && value != null) ? quote(value) : null);
	}

	/**
	 * Adds a field with a store key, as text if it is valid UTF-8, otherwise in
	 * hexadecimal.
	 * @param name the name of the field
	 * @param key the store key
	 * @return this line
	 */
	public AuditLine key(String name, Bytes key) {
		if (this.logger == null) {
			return this;
		}
		String text = key.toUtf8();
		if (Bytes.of(text).equals(key)) {
			return text(name, text);
		}
		boolean cut = key.length() > MAX_LENGTH;
		return word(name, "0x" + (cut ? key.slice(0, MAX_LENGTH).toHex() + "…" : key.toHex()));
	}

	/**
	 * Adds a field with a word or number from the broker, which is not quoted.
	 * @param name the name of the field
	 * @param value the value, without spaces; {@code null} to omit the field
	 * @return this line
	 */
	public AuditLine word(String name, @Nullable Object value) {
		if (this.logger != null && value != null) {
			this.text.append(' ').append(name).append('=').append(value);
		}
		return this;
	}

	/**
	 * Adds a client's address.
	 * @param address the address, {@code null} to omit the field
	 * @return this line
	 */
	public AuditLine address(@Nullable InetAddress address) {
		return word("address", (address != null) ? address.getHostAddress() : null);
	}

	/** Writes this line unless it is omitted. */
	public void log() {
		if (this.logger != null) {
			this.logger.atLevel(this.level).log(this.text.toString());
		}
	}

}
