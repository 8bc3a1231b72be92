package io.statestore.boot;

import java.util.List;

import io.statestore.broker.security.Authorizer;
import io.statestore.time.TimeSource;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Condition that matches if the embedded broker can survive restarts by Spring Boot
 * DevTools: it has neither a directory, from which it recovers anyway, nor SSL bundles,
 * an authorizer, or the time of the application.
 */
class OnKeptBrokerCondition extends SpringBootCondition implements ConfigurationCondition {

	@Override
	public ConfigurationPhase getConfigurationPhase() {
		return ConfigurationPhase.REGISTER_BEAN;
	}

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		ConditionMessage.Builder message = ConditionMessage.forCondition("Broker without a directory");
		for (String property : new String[] { "statestore.embedded.data-directory",
				"statestore.embedded.ssl.bundle" }) {
			String value = context.getEnvironment().getProperty(property, "false");
			if (!"false".equalsIgnoreCase(value)) {
				return ConditionOutcome.noMatch(message.because(property + " is set"));
			}
		}
		for (Class<?> type : List.of(TimeSource.class, Authorizer.class)) {
			if (context.getBeanFactory() != null
					&& context.getBeanFactory().getBeanNamesForType(type, true, false).length > 0) {
				return ConditionOutcome.noMatch(message.because("there is a " + type.getSimpleName() + " bean"));
			}
		}
		return ConditionOutcome.match(message.available("broker"));
	}

}
