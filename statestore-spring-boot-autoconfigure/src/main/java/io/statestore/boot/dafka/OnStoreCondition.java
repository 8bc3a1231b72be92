package io.statestore.boot.dafka;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches if a store is enabled, which is the default with an embedded tower. */
class OnStoreCondition extends SpringBootCondition {

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		Environment environment = context.getEnvironment();
		boolean embedded = environment.getProperty("dafka.embedded.enabled", Boolean.class, false);
		boolean store = environment.getProperty("dafka.store.enabled", Boolean.class, embedded);
		return new ConditionOutcome(store, ConditionMessage.forCondition("Dafka store")
			.because("dafka.store.enabled, by default dafka.embedded.enabled, is " + store));
	}

}
