package io.statestore.boot;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * Failure analyzer for invalid {@code statestore.*} and {@code dafka.*} properties.
 * Unlike Spring Boot's analyzer, it distinguishes unset properties from blank properties.
 */
@Order(0)
class InvalidPropertyFailureAnalyzer extends AbstractFailureAnalyzer<InvalidConfigurationPropertyValueException> {

	private final Environment environment;

	InvalidPropertyFailureAnalyzer(Environment environment) {
		this.environment = environment;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure,
			InvalidConfigurationPropertyValueException cause) {
		String name = cause.getName();
		if (!name.startsWith("statestore.") && !name.startsWith("dafka.")) {
			return null;
		}
		ConfigurationProperty property = ListProperties.find(this.environment, name);
		return new FailureAnalysis(
				"The property '" + name + "' " + state(cause, property) + ".\n\n" + sentence(cause.getReason()),
				((property != null) ? "Change" : "Set") + " the property '" + name + "' accordingly.", cause);
	}

	private static String state(InvalidConfigurationPropertyValueException cause,
			@Nullable ConfigurationProperty property) {
		if (property == null) {
			Object value = cause.getValue();
			return (value == null || value.toString().isBlank()) ? "is not set" : "is '" + value + "' by default";
		}
		String origin = (property.getOrigin() != null) ? " (from " + property.getOrigin() + ")" : "";
		if (!StringUtils.hasText(property.getValue().toString())) {
			return "is blank" + origin;
		}
		boolean secret = cause.getName().endsWith("password");
		// For a list, the property holds only the first element.
		Object value = property.getName().isLastElementIndexed() ? cause.getValue() : property.getValue();
		return "has the invalid value '" + (secret ? "******" : value) + "'" + origin;
	}

	private static String sentence(@Nullable String reason) {
		String text = StringUtils.capitalize((reason != null) ? reason : "Its value is not valid");
		return text.endsWith(".") ? text : text + ".";
	}

}
