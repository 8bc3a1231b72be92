package io.statestore.client.mqtt;

import java.util.List;

import io.statestore.protocol.InvalidOptionException;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class HostListTests {

	private static List<BrokerAddress> parse(String... entries) {
		return new HostList(List.of(entries), 1883).parse();
	}

	@Test
	void parsesNamesAddressesAndPorts() {
		assertThat(parse("a", " b:1884 ", "10.0.0.1:1", "[fd00::2]", "[fd00::2]:65535", "[fe80::1%eth0]:1", "bär_1"))
			.containsExactly(new BrokerAddress("a", 1883), new BrokerAddress("b", 1884),
					new BrokerAddress("10.0.0.1", 1), new BrokerAddress("fd00::2", 1883),
					new BrokerAddress("fd00::2", 65_535), new BrokerAddress("fe80::1%eth0", 1),
					new BrokerAddress("bär_1", 1883));
	}

	@Test
	void showsAddressesAsInUrls() {
		assertThat(parse("a", "[::1]:1")).extracting(BrokerAddress::toString).containsExactly("a:1883", "[::1]:1");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			value = { "'hosts' must not contain blank entries, but is 'a,,b' | a,,b",
					"'hosts' must not contain blank entries, but is 'a, ' | \"a, \"",
					"'hosts' must not contain a host twice, but is 'a:1883,A:1883'. Remove one 'A:1883' | a,A:1883",
					"Remove the scheme of 'mqtt://a:1883' | mqtt://a:1883",
					"Write the IPv6 address 'fd00::2' in brackets, such as [::1]:1883 | a,fd00::2",
					"The port of 'b:0' must be 1 to 65535 | a,b:0", "The port of 'b:65536' must be | b:65536",
					"The port of 'b:18446744073709551616' must be | b:18446744073709551616",
					"but is 'b:x'. Correct 'b:x', such as broker-1:1883 | b:x", "Correct 'b:' | b:",
					"Correct ':1' | :1", "Correct 'a b' | a b", "Correct '[::1' | [::1", "Correct '[a]' | [a]",
					"Correct 'a/b' | a/b", "Correct '[::1]1' | [::1]1" })
	void namesInvalidEntry(String message, String entries) {
		assertThatExceptionOfType(InvalidOptionException.class).isThrownBy(() -> parse(entries.split(",")))
			.withMessageContaining(message)
			.satisfies((failure) -> assertThat(failure.option()).isEqualTo("hosts"));
	}

	@Test
	void refusesEmptyList() {
		assertThatExceptionOfType(InvalidOptionException.class).isThrownBy(HostListTests::parse)
			.withMessageContaining("'hosts' must name at least one host");
	}

	@Test
	void hidesCredentials() {
		assertThatExceptionOfType(InvalidOptionException.class).isThrownBy(() -> parse("anna:secret@a:1883"))
			.withMessageNotContaining("secret")
			.withMessageContaining("Set user name and password with their own options");
	}

	@Property(tries = 300)
	void parsesOrNamesOption(@ForAll List<String> entries) {
		try {
			List<BrokerAddress> addresses = new HostList(entries, 1883).parse();
			assertThat(addresses).hasSameSizeAs(entries).doesNotHaveDuplicates();
			List<String> shown = addresses.stream().map(BrokerAddress::toString).toList();
			assertThat(new HostList(shown, 1).parse()).isEqualTo(addresses);
		}
		catch (InvalidOptionException ex) {
			assertThat(ex.option()).isEqualTo("hosts");
		}
	}

}
