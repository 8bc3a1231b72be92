package io.statestore.client.json;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.exc.MismatchedInputException;

/**
 * Describes a Jackson failure without its message, which may contain parts of the value.
 * The description names only properties that the Java type declares, because other names
 * are part of the value.
 */
final class JacksonFailure {

	private JacksonFailure() {
	}

	/** Returns a failure's position and reason. */
	static String describe(RuntimeException failure) {
		List<String> details = new ArrayList<>();
		if (failure instanceof InvalidDefinitionException definition && definition.getType() != null) {
			details.add("Jackson cannot handle " + definition.getType().getRawClass().getName()
					+ "; check its constructors, accessors, and annotations");
		}
		else if (failure instanceof MismatchedInputException mismatch && mismatch.getTargetType() != null) {
			details.add("expected " + mismatch.getTargetType().getName());
		}
		if (failure instanceof JacksonException jackson) {
			addPosition(details, jackson);
		}
		return String.join(" ", details);
	}

	private static void addPosition(List<String> details, JacksonException failure) {
		StringBuilder path = new StringBuilder();
		for (JacksonException.Reference step : failure.getPath()) {
			append(path, step);
		}
		if (!path.isEmpty()) {
			details.add("at " + path);
		}
		TokenStreamLocation location = failure.getLocation();
		if (location != null && location.getLineNr() > 0) {
			details.add("in line " + location.getLineNr() + ", column " + location.getColumnNr());
		}
	}

	private static void append(StringBuilder path, JacksonException.Reference step) {
		String name = step.getPropertyName();
		if (name == null) {
			path.append('[').append((step.getIndex() >= 0) ? step.getIndex() : "?").append(']');
			return;
		}
		if (!path.isEmpty()) {
			path.append('.');
		}
		path.append(isDeclared(step.from(), name) ? name : "?");
	}

	private static boolean isDeclared(@Nullable Object from, String name) {
		if (from == null) {
			return false;
		}
		Class<?> type = (from instanceof Class<?> declaring) ? declaring : from.getClass();
		return ReflectionUtils.findField(type, name) != null;
	}

}
