package io.statestore.testing.broker;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.statestore.broker.server.UserProperty;
import io.statestore.protocol.DurationText;
import io.statestore.protocol.ErrorReason;
import org.jspecify.annotations.Nullable;

/**
 * A fault that a client requests with a user property of its request.
 *
 * @param kind the kind of the message to affect
 * @param action the effect
 */
record WireFault(MessageKind kind, FaultAction action) {

	private static final String VALID = "Use delay=500ms, drop, cut, or refuse=QUOTA_EXCEEDED, for a reply "
			+ "reply.delay=500ms, reply.drop, or reply.cut, for a notification notification.delay=500ms, "
			+ "notification.drop, or notification.cut, or for the broker restart or restart=empty";

	private static final Pattern FORM = Pattern.compile("(?:(request|reply|notification)\\.)?([a-z]+)(?:=(\\w+))?");

	/**
	 * Returns the fault in the user properties of a request.
	 * @return the fault, {@code null} if there is none
	 * @throws IllegalArgumentException if the fault is invalid; the message is one line
	 */
	static @Nullable WireFault in(List<UserProperty> properties) {
		return properties.stream()
			.filter((property) -> property.name().equals(StateStoreFaults.USER_PROPERTY))
			.findFirst()
			.map((property) -> parse(property.value()))
			.orElse(null);
	}

	/**
	 * Parses a fault.
	 * @throws IllegalArgumentException if it is invalid; the message is one line
	 */
	static WireFault parse(String text) {
		Matcher matcher = FORM.matcher(text);
		try {
			if (matcher.matches()) {
				String kind = Objects.requireNonNullElse(matcher.group(1), "request");
				FaultAction action = action(matcher.group(2), Objects.requireNonNullElse(matcher.group(3), ""),
						kind.equals("request"));
				if (action != null) {
					return new WireFault(MessageKind.valueOf(kind.toUpperCase(Locale.ROOT)), action);
				}
			}
		}
		catch (IllegalArgumentException ex) {
			// The same message
		}
		throw invalid(text);
	}

	/**
	 * Returns an action, {@code null} if it is invalid.
	 * @param argument the text after the equals sign, empty if there is none
	 * @throws IllegalArgumentException if its argument is invalid
	 */
	private static @Nullable FaultAction action(String action, String argument, boolean request) {
		return switch (action + (argument.isEmpty() ? "" : "=")) {
			case "drop" -> new FaultAction.Drop();
			case "cut" -> new FaultAction.Cut();
			case "delay=" -> new FaultAction.Delay(DurationText.parse(argument));
			case "restart" -> request ? new FaultAction.Restart(true) : null;
			case "restart=" -> (request && argument.equals("empty")) ? new FaultAction.Restart(false) : null;
			case "refuse=" -> (request && !argument.equals(ErrorReason.UNKNOWN.name()))
					? new FaultAction.Refuse(ErrorReason.valueOf(argument)) : null;
			default -> null;
		};
	}

	private static IllegalArgumentException invalid(String text) {
		StringBuilder line = new StringBuilder();
		text.chars().limit(100).map((c) -> (c < ' ') ? '?' : c).forEach((c) -> line.append((char) c));
		return new IllegalArgumentException("the user property " + StateStoreFaults.USER_PROPERTY
				+ " has the invalid value '" + line + "'. " + VALID);
	}

}
