package io.statestore.dafka.spring;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.validation.Validator;

/** Configuration imported by {@link EnableDafka}. */
@Configuration(proxyBeanMethods = false)
class DafkaListenerConfiguration {

	@Bean
	static DafkaListenerAnnotationBeanPostProcessor dafkaListenerAnnotationBeanPostProcessor(
			ObjectProvider<DafkaListenerRegistry> registry, ObjectProvider<DafkaValueConverter> converter,
			ObjectProvider<Validator> validator) {
		return new DafkaListenerAnnotationBeanPostProcessor(registry::getObject,
				() -> new DafkaValues(converter.getIfUnique()), validator::getIfUnique);
	}

	@Bean
	static DafkaListenerRegistry dafkaListenerRegistry(ObjectProvider<DafkaConsumerFactory> consumers,
			ObjectProvider<DafkaListenerOptions> options) {
		return new DafkaListenerRegistry(consumers::getObject, options.getIfUnique(() -> DafkaListenerOptions.DEFAULT));
	}

}
