package io.statestore.dafka.spring.listener;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;

import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.spring.DafkaValues;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.format.support.DefaultFormattingConversionService;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.support.DefaultMessageHandlerMethodFactory;
import org.springframework.messaging.handler.annotation.support.HeaderMethodArgumentResolver;
import org.springframework.messaging.handler.annotation.support.HeadersMethodArgumentResolver;
import org.springframework.messaging.handler.invocation.InvocableHandlerMethod;
import org.springframework.messaging.support.GenericMessage;

/** Calls a method with records, through the handler methods of spring-messaging. */
final class MethodCall {

	private final InvocableHandlerMethod handler;

	private final Type valueType;

	private final DafkaValues values;

	private final ValueValidation validation;

	private final boolean batch;

	MethodCall(Object bean, Method method, Type valueType, boolean batch, DafkaValues values,
			ValueValidation validation, @Nullable ConfigurableBeanFactory beanFactory) {
		DefaultMessageHandlerMethodFactory factory = new DefaultMessageHandlerMethodFactory();
		factory.setArgumentResolvers(
				List.of(new HeaderMethodArgumentResolver(new DefaultFormattingConversionService(), beanFactory),
						new HeadersMethodArgumentResolver(), new RecordArgumentResolver(batch)));
		factory.afterPropertiesSet();
		this.handler = factory.createInvocableHandlerMethod(bean, method);
		this.valueType = valueType;
		this.values = values;
		this.validation = validation;
		this.batch = batch;
	}

	/** Whether it takes more than one record. */
	boolean isBatch() {
		return this.batch;
	}

	/**
	 * Makes a value of a record.
	 * @throws io.statestore.dafka.spring.DafkaConversionException if there is no value in
	 * it, or one that is not valid
	 */
	Converted convert(DafkaRecord record) {
		Object value = this.values.read(record, this.valueType);
		this.validation.check(record, value);
		return new Converted(record, value);
	}

	/**
	 * Calls the method.
	 * @param records one, unless it takes batches
	 * @throws Exception what the method threw
	 */
	void invoke(List<Converted> records) throws Exception {
		this.handler.invoke(new GenericMessage<>(records, this.batch ? Map.of() : headers(records.get(0).record())));
	}

	@SuppressWarnings("unchecked")
	static List<Converted> payload(Message<?> message) {
		return (List<Converted>) message.getPayload();
	}

	private static Map<String, Object> headers(DafkaRecord record) {
		return Map.of(DafkaHeaders.TOPIC, record.topic(), DafkaHeaders.PARTITION, record.partition(),
				DafkaHeaders.OFFSET, record.offset());
	}

	@Override
	public String toString() {
		return this.handler.getBeanType().getName() + '.' + this.handler.getMethod().getName();
	}

	/** A record and its value. */
	record Converted(DafkaRecord record, Object value) {
	}

}
