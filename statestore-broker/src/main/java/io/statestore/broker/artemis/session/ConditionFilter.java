package io.statestore.broker.artemis.session;

import java.util.Map;
import java.util.function.BooleanSupplier;

import org.apache.activemq.artemis.api.core.Message;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.filter.Filter;
import org.apache.activemq.artemis.selector.filter.Filterable;

/**
 * Filter that matches all messages while a condition holds.
 *
 * @param condition evaluated for each message
 */
record ConditionFilter(BooleanSupplier condition) implements Filter {

	@Override
	public boolean match(Message message) {
		return this.condition.getAsBoolean();
	}

	@Override
	public boolean match(Map<String, String> properties) {
		return this.condition.getAsBoolean();
	}

	@Override
	public boolean match(Filterable filterable) {
		return this.condition.getAsBoolean();
	}

	@Override
	public SimpleString getFilterString() {
		return SimpleString.of("");
	}

}
