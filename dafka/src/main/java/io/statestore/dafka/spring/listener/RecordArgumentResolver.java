package io.statestore.dafka.spring.listener;

import java.util.List;

import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.Position;
import io.statestore.dafka.TopicPartition;
import io.statestore.dafka.spring.listener.MethodCall.Converted;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.messaging.support.GenericMessage;

/**
 * Arguments that come from the records themselves: the payload of the message is a list
 * of them. Headers are left to others.
 */
final class RecordArgumentResolver implements HandlerMethodArgumentResolver {

	private final boolean batch;

	RecordArgumentResolver(boolean batch) {
		this.batch = batch;
	}

	@Override
	public boolean supportsParameter(MethodParameter parameter) {
		return true;
	}

	@Override
	public Object resolveArgument(MethodParameter parameter, Message<?> message) {
		List<Converted> records = MethodCall.payload(message);
		if (this.batch) {
			boolean whole = ResolvableType.forMethodParameter(parameter).getGeneric(0).resolve() == DafkaRecord.class;
			return records.stream().map((one) -> whole ? one.record() : one.value()).toList();
		}
		Converted one = records.get(0);
		DafkaRecord record = one.record();
		Class<?> type = parameter.getParameterType();
		if (type == DafkaRecord.class) {
			return record;
		}
		if (type == Position.class) {
			return new Position(record.topic(), record.partition(), record.offset());
		}
		if (type == TopicPartition.class) {
			return new TopicPartition(record.topic(), record.partition());
		}
		return (type == Message.class) ? new GenericMessage<>(one.value(), message.getHeaders()) : one.value();
	}

}
