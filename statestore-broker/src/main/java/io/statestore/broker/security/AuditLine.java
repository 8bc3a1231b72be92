package io.statestore.broker.security;

import java.net.InetAddress;

import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * A line of the {@link AuditLog}, written by {@link #log()}. Text from clients is
 * escaped, so that it cannot forge lines or fields. Long values are cut. Not thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public final class AuditLine {

	/** Maximum number of characters of a value. */
	static final int MAX_LENGTH = 256;

	/** A line that is left out. */
	static final AuditLine OMITTED = new AuditLine(null, Level.INFO, "");

	private final @Nullable Logger logger;

	private final Level level;

	private final StringBuilder text;

	AuditLine(@Nullable Logger logger, Level level, String start) {
		this.logger = logger;
		this.level = level;
		this.text = new StringBuilder(start);
	}

	/** Returns a field with a name of a client, which is empty for none. */
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
	 * @param value the value, {@code null} to leave out the field
	 * @return this line
	 */
	public AuditLine text(String name, @Nullable String value) {
		return word(name, (this.logger != null && value != null) ? quote(value) : null);
	}

	/**
	 * Adds a field with a key of the store, as text if it is valid UTF-8, otherwise in
	 * hexadecimal.
	 * @param name the name of the field
	 * @param key the key
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
	 * Adds a field with a word or number of the broker.
	 * @param name the name of the field
	 * @param value the value, whose text has no spaces, {@code null} to leave out the
	 * field
	 * @return this line
	 */
	public AuditLine word(String name, @Nullable Object value) {
		if (this.logger != null && value != null) {
			this.text.append(' ').append(name).append('=').append(value);
		}
		return this;
	}

	/**
	 * Adds the address of a client.
	 * @param address the address, {@code null} to leave out the field
	 * @return this line
	 */
	public AuditLine address(@Nullable InetAddress address) {
		return word("address", (address != null) ? address.getHostAddress() : null);
	}

	/** Writes this line, unless it is left out. */
	public void log() {
		if (this.logger != null) {
			this.logger.atLevel(this.level).log(this.text.toString());
		}
	}

}
