package io.statestore.boot;

import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * The client names the option that is out of its range; a user of Boot knows the
 * property.
 */
final class OptionFailures {

	private static final Pattern OPTION = Pattern.compile("'(\\w+)' (must .*), but is (.*?)(\\. .*)?");

	private static final Map<String, String> RENAMED = Map.of("reconnectInitialDelay", "reconnect.initial-delay",
			"reconnectMaxDelay", "reconnect.max-delay");

	private OptionFailures() {
	}

	static RuntimeException namingTheProperty(String prefix, IllegalArgumentException failure) {
		Matcher matcher = OPTION.matcher(String.valueOf(failure.getMessage()));
		if (!matcher.matches()) {
			return failure;
		}
		String option = matcher.group(1);
		String property = RENAMED.getOrDefault(option, option.replaceAll("(\\p{Lu})", "-$1").toLowerCase());
		return new InvalidConfigurationPropertyValueException(prefix + property, matcher.group(3),
				"It " + matcher.group(2) + Objects.requireNonNullElse(matcher.group(4), "."));
	}

}
