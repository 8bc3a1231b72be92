package io.statestore.testing.broker;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
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
		for (UserProperty property : properties) {
			if (property.name().equals(StateStoreFaults.USER_PROPERTY)) {
				return parse(property.value());
			}
		}
		return null;
	}

	/**
	 * Parses a fault.
	 * @throws IllegalArgumentException if it is invalid; the message is one line
	 */
	static WireFault parse(String text) {
		Matcher matcher = FORM.matcher(text);
		if (!matcher.matches()) {
			throw invalid(text);
		}
		MessageKind kind = kind(matcher.group(1));
		return new WireFault(kind, action(text, kind, matcher.group(2), matcher.group(3)));
	}

	private static MessageKind kind(@Nullable String name) {
		return (name != null) ? MessageKind.valueOf(name.toUpperCase(Locale.ROOT)) : MessageKind.REQUEST;
	}

	private static FaultAction action(String text, MessageKind kind, String action, @Nullable String argument) {
		boolean request = kind == MessageKind.REQUEST;
		if (action.equals("delay") && argument != null) {
			return new FaultAction.Delay(duration(text, argument));
		}
		if (action.equals("drop") && argument == null) {
			return new FaultAction.Drop();
		}
		if (action.equals("cut") && argument == null) {
			return new FaultAction.Cut();
		}
		if (action.equals("refuse") && argument != null && request) {
			return new FaultAction.Refuse(reason(text, argument));
		}
		if (action.equals("restart") && request && (argument == null || argument.equals("empty"))) {
			return new FaultAction.Restart(argument == null);
		}
		throw invalid(text);
	}

	private static Duration duration(String text, String argument) {
		try {
			return DurationText.parse(argument);
		}
		catch (IllegalArgumentException ex) {
			throw invalid(text);
		}
	}

	private static ErrorReason reason(String text, String argument) {
		for (ErrorReason reason : ErrorReason.values()) {
			if (reason.name().equals(argument) && reason != ErrorReason.UNKNOWN) {
				return reason;
			}
		}
		throw invalid(text);
	}

	private static IllegalArgumentException invalid(String text) {
		StringBuilder line = new StringBuilder();
		text.chars().limit(100).map((c) -> (c < ' ') ? '?' : c).forEach((c) -> line.append((char) c));
		return new IllegalArgumentException("the user property " + StateStoreFaults.USER_PROPERTY
				+ " has the invalid value '" + line + "'. " + VALID);
	}

}
