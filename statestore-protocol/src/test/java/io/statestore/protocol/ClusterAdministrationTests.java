package io.statestore.protocol;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import io.statestore.protocol.ClusterNodeState.Role;
import io.statestore.protocol.ClusterRequest.Action;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ClusterAdministrationTests {

	@Property
	void requestsRoundTrip(@ForAll("requests") ClusterRequest request) {
		assertThat(Administration.decodeRequest(Bytes.wrap(Administration.encode(request)))).isEqualTo(request);
	}

	@Property
	void answersRoundTrip(@ForAll("answers") AdministrationPage<ClusterNodeState> answer) {
		AdministrationTests.assertRoundTrip(ClusterNodeState.class, Bytes.wrap(Administration.encode(answer)));
	}

	@Example
	void refusesRequestsThatLackArguments() {
		assertRefused(ErrorReason.WRONG_NUMBER_OF_ARGUMENTS, "CLUSTER");
		assertRefused(ErrorReason.SYNTAX_ERROR, "CLUSTER", "REMOVE");
		assertRefused(ErrorReason.SYNTAX_ERROR, "CLUSTER", "STATUS", "a");
		assertRefused(ErrorReason.SYNTAX_ERROR, "CLUSTER", "STOP");
		assertRefused(ErrorReason.SYNTAX_ERROR, "CLUSTER", "ADD", " ");
		assertRefused(ErrorReason.SYNTAX_ERROR, "CLUSTER", "ADD", "a".repeat(513));
		assertThatIllegalArgumentException().isThrownBy(() -> ClusterRequest.of(Action.REPLACE, "a"));
	}

	private static void assertRefused(ErrorReason reason, String... elements) {
		byte[] payload = RespWriter.array(Arrays.stream(elements).map(Bytes::of).toArray(Bytes[]::new));
		assertThatExceptionOfType(ProtocolException.class)
			.isThrownBy(() -> Administration.decodeRequest(Bytes.wrap(payload)))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(reason));
	}

	@Example
	void failureHasTextOnOneLine() {
		Bytes answer = Bytes.wrap(Administration.encodeFailure("not\r\nnow"));
		assertThatExceptionOfType(ProtocolException.class)
			.isThrownBy(() -> Administration.decodeReply(Reply.Ok.class, answer))
			.withMessage("not now");
	}

	@Example
	void nameAddressAndNumberMeanNode() {
		ClusterNodeState node = new ClusterNodeState("a", "a.local:1885", 17, Role.FOLLOWER, 1, null, 0, 0, 0, null,
				null, false, 0, null);
		assertThat(List.of("a", "a.local:1885", "a.local:1885:17")).allMatch(node::isMeantBy);
		assertThat(List.of("b", "a.local", "a.local:1885:0")).noneMatch(node::isMeantBy);
	}

	@Provide
	static Arbitrary<ClusterRequest> requests() {
		return Arbitraries.of(Action.values())
			.flatMap((action) -> Arbitraries.of("a", "ü", "a.local:1885", "[::1]:1885:7")
				.list()
				.ofSize(action.arguments())
				.map((arguments) -> new ClusterRequest(action, arguments)));
	}

	@Provide
	static Arbitrary<AdministrationPage<ClusterNodeState>> answers() {
		Arbitrary<String> texts = Arbitraries.strings().alpha().ofMaxLength(8);
		Arbitrary<Long> numbers = Arbitraries.longs().between(0, Long.MAX_VALUE);
		return Combinators
			.combine(texts.injectNull(0.3), texts, Arbitraries.integers().between(0, Integer.MAX_VALUE),
					Arbitraries.of(Role.values()), texts.injectNull(0.3), numbers.list().ofSize(4),
					numbers.injectNull(0.3), Arbitraries.of(true, false))
			.as((name, address, number, role, leader, indexes, lag, flag) -> new ClusterNodeState(name, address, number,
					role, indexes.get(0), leader, indexes.get(1), indexes.get(2), indexes.get(3), lag,
					(lag != null) ? Duration.ofMillis(lag) : null, flag, number, name))
			.list()
			.ofMaxSize(3)
			.map((nodes) -> new AdministrationPage<>(nodes, null));
	}

}
