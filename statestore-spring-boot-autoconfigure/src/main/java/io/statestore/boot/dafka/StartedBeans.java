package io.statestore.boot.dafka;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Finds beans that have already been created. Used by health checks and metrics, which
 * must not start a producer.
 */
record StartedBeans(ConfigurableListableBeanFactory beanFactory) {

	/** Returns the existing beans of a type, without creating any. */
	<T> List<T> of(Class<T> type) {
		return Stream.of(this.beanFactory.getBeanNamesForType(type, false, false))
			.map(this.beanFactory::getSingleton)
			.filter(Objects::nonNull)
			.filter(type::isInstance)
			.map(type::cast)
			.toList();
	}

}
