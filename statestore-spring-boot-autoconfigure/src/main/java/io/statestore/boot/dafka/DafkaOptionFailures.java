package io.statestore.boot.dafka;

import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Dafka names the option that is out of its range; a user of Boot knows the property. */
final class DafkaOptionFailures {

	private static final Pattern OPTION = Pattern.compile("'(\\w+)' is (.*) but (must be .*)");

	private static final Map<String, String> RENAMED = Map.of("maxBytes", "max-size", "retentionBytes",
			"retention-size");

	private DafkaOptionFailures() {
	}

	/** What the supplier makes of properties that begin with the prefix. */
	static <T> T naming(String prefix, Supplier<T> options) {
		try {
			return options.get();
		}
		catch (IllegalArgumentException ex) {
			Matcher matcher = OPTION.matcher(String.valueOf(ex.getMessage()));
			if (!matcher.matches()) {
				throw ex;
			}
			String option = matcher.group(1);
			String property = RENAMED.getOrDefault(option,
					option.replaceAll("(\\p{Lu})", "-$1").toLowerCase(Locale.ROOT));
			throw new InvalidConfigurationPropertyValueException(prefix + property, matcher.group(2),
					"It " + matcher.group(3) + ".");
		}
	}

}
