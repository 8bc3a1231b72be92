package io.statestore.broker.security;

import java.net.InetAddress;

import org.slf4j.Logger;

/**
 * Lines of the {@link AuditLog} that have a limit together.
 *
 * @param event the event
 * @param field name of the field that they have in common, empty for none
 * @param name value of the field, empty for an anonymous client
 * @param maxLines maximum number of lines in an interval
 */
record AuditSubject(AuditEvent event, String field, String name, int maxLines) {

	private static final String ADDRESS = "address";

	static AuditSubject of(AuditEvent event, String field, String name) {
		String cut = name.substring(0, Math.min(name.length(), AuditLine.MAX_LENGTH));
		return new AuditSubject(event, field, cut, AuditLog.MAX_LINES_OF_PRINCIPAL);
	}

	static AuditSubject of(AuditEvent event, InetAddress address) {
		return new AuditSubject(event, ADDRESS, AddressGroup.of(address), AuditLog.MAX_LINES_OF_ADDRESS);
	}

	/** Begins a line. */
	AuditLine newLine(Logger logger) {
		AuditLine line = new AuditLine(logger, this.event.level()).word("event", this.event);
		if (this.field.isEmpty()) {
			return line;
		}
		boolean text = !this.field.equals(ADDRESS) && !this.name.isEmpty();
		return text ? line.text(this.field, this.name)
				: line.word(this.field, this.name.isEmpty() ? ClientPrincipal.ANONYMOUS : this.name);
	}

}
