package io.statestore.boot;

import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.StringUtils;

/** Translates failures that name an option of the client to the property behind it. */
final class OptionFailures {

	private static final Pattern OUT_OF_RANGE = Pattern.compile("'(\\w+)' (must .*), but is (.*?)(\\. .*)?");

	private static final Pattern UNUSABLE = Pattern.compile("'(\\w+)' is (.*?), but (.*)");

	private static final Map<String, String> RENAMED = Map.of("reconnectInitialDelay", "reconnect.initial-delay",
			"reconnectMaxDelay", "reconnect.max-delay");

	private OptionFailures() {
	}

	static RuntimeException namingTheProperty(String prefix, IllegalArgumentException failure) {
		String message = String.valueOf(failure.getMessage());
		Matcher range = OUT_OF_RANGE.matcher(message);
		if (range.matches()) {
			return invalid(prefix, range.group(1), range.group(3),
					"It " + range.group(2) + Objects.requireNonNullElse(range.group(4), "."));
		}
		Matcher unusable = UNUSABLE.matcher(message);
		return unusable.matches()
				? invalid(prefix, unusable.group(1), unusable.group(2), StringUtils.capitalize(unusable.group(3)))
				: failure;
	}

	private static RuntimeException invalid(String prefix, String option, String value, String reason) {
		String property = RENAMED.getOrDefault(option, option.replaceAll("(\\p{Lu})", "-$1").toLowerCase(Locale.ROOT));
		return new InvalidConfigurationPropertyValueException(prefix + property, value, reason);
	}

}
