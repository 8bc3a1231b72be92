package io.statestore.dafka.spring;

import io.statestore.listener.ListenerBeanPostProcessor;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Registers {@link DafkaListener} methods; imported by {@link EnableDafka}. */
@Configuration(proxyBeanMethods = false)
class DafkaListenerConfiguration {

	@Bean
	static ListenerBeanPostProcessor<DafkaListener, DafkaListenerEndpoint> dafkaListenerPostProcessor(
			ObjectProvider<DafkaListenerRegistry> registry, ConfigurableBeanFactory beanFactory) {
		return new ListenerBeanPostProcessor<>(DafkaListener.class, registry::getObject, beanFactory);
	}

	@Bean
	static DafkaListenerRegistry dafkaListenerRegistry(ObjectProvider<DafkaConsumerFactory> consumers,
			ObjectProvider<DafkaListenerOptions> options) {
		return new DafkaListenerRegistry(consumers::getObject, options.getIfUnique(() -> DafkaListenerOptions.DEFAULT));
	}

}
