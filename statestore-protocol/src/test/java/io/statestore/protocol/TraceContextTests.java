package io.statestore.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TraceContextTests {

	private static final String PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

	private static TraceContext of(List<Map.Entry<String, String>> properties) {
		return TraceContext.of(properties, Map.Entry::getKey, Map.Entry::getValue);
	}

	private static List<String> fields(TraceContext trace) {
		List<String> fields = new ArrayList<>();
		trace.forEach((name, value) -> fields.add(name + "=" + value));
		return fields;
	}

	@Test
	void keepsKnownFieldsInOrder() {
		TraceContext trace = of(List.of(Map.entry("__ts", "1:0:node"), Map.entry("tracestate", "a=b"),
				Map.entry("traceparent", PARENT), Map.entry("other", "x"), Map.entry("baggage", "user=1")));
		assertThat(fields(trace)).containsExactly("tracestate=a=b", "traceparent=" + PARENT, "baggage=user=1");
		assertThat(trace.get("traceparent")).isEqualTo(PARENT);
		assertThat(trace.get("b3")).isNull();
	}

	@Test
	void isEmptyWithoutKnownFields() {
		assertThat(of(List.of(Map.entry("__ts", "1:0:node"), Map.entry("Traceparent", PARENT))))
			.isSameAs(TraceContext.EMPTY);
	}

	@Test
	void keepsFirstOfRepeatedFields() {
		assertThat(fields(of(List.of(Map.entry("b3", "0"), Map.entry("b3", "1"))))).containsExactly("b3=0");
	}

	@Test
	void skipsOverlongField() {
		String value = "a".repeat(TraceContext.MAX_LENGTH - "baggage".length());
		assertThat(of(List.of(Map.entry("baggage", value))).length()).isEqualTo(TraceContext.MAX_LENGTH);
		TraceContext trace = of(List.of(Map.entry("baggage", value + "a"), Map.entry("traceparent", PARENT)));
		assertThat(fields(trace)).containsExactly("traceparent=" + PARENT);
	}

	@Test
	void skipsControlCharacters() {
		assertThat(of(List.of(Map.entry("baggage", "a\u0000"), Map.entry("tracestate", "a\nb"), Map.entry("b3", "ü"))))
			.isSameAs(TraceContext.EMPTY);
	}

	@Test
	void textHasNoValues() {
		assertThat(of(List.of(Map.entry("baggage", "secret")))).hasToString("TraceContext[baggage]");
	}

	@Property
	void isBoundedForAnyProperties(@ForAll("properties") List<Map.Entry<String, String>> properties) {
		TraceContext trace = of(properties);
		List<String> names = new ArrayList<>();
		int[] length = { 0 };
		trace.forEach((name, value) -> {
			names.add(name);
			length[0] += name.length() + value.length();
			assertThat(properties).contains(Map.entry(name, value));
			assertThat(value).matches("[ -~]*");
		});
		assertThat(names).doesNotHaveDuplicates().allMatch(TraceContext::isField);
		assertThat(trace.length()).isEqualTo(length[0]).isLessThanOrEqualTo(TraceContext.MAX_LENGTH);
	}

	@Provide
	Arbitrary<List<Map.Entry<String, String>>> properties() {
		Arbitrary<String> names = Arbitraries.oneOf(
				Arbitraries.of("traceparent", "tracestate", "baggage", "b3", "X-B3-TraceId", "__ts"),
				Arbitraries.strings().ofMaxLength(10));
		Arbitrary<String> values = Arbitraries.oneOf(Arbitraries.strings().ofMaxLength(20),
				Arbitraries.strings().withCharRange(' ', '~').ofMinLength(500).ofMaxLength(2_500));
		return Combinators.combine(names, values).as(Map::entry).list().ofMaxSize(12);
	}

}
