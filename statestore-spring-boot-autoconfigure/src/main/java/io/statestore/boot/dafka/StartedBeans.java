package io.statestore.boot.dafka;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Beans that exist already. Looking at the health of an application must not start a
 * producer.
 */
record StartedBeans(ConfigurableListableBeanFactory beanFactory) {

	<T> List<T> of(Class<T> type) {
		return Stream.of(this.beanFactory.getBeanNamesForType(type, false, false))
			.map(this.beanFactory::getSingleton)
			.filter(Objects::nonNull)
			.filter(type::isInstance)
			.map(type::cast)
			.toList();
	}

}
