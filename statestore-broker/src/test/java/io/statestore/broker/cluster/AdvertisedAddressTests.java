package io.statestore.broker.cluster;

import java.nio.file.Path;

import io.statestore.broker.security.PemFiles;
import io.statestore.protocol.InvalidOptionException;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class AdvertisedAddressTests {

	@ParameterizedTest
	@CsvSource({ "a.local,a.local:1883", "a.local:1884,a.local:1884", "192.0.2.1,192.0.2.1:1883", "[::1],[::1]:1883",
			"[fd00::2]:1884,[fd00::2]:1884", "' a ',a:1883", "a:65535,a:65535" })
	void hasNodePortByDefault(String text, String reference) {
		assertThat(AdvertisedAddress.parse(text).reference(1883)).isEqualTo(reference);
	}

	@Test
	void defaultsToHostAmongPeers() {
		ClusterOptions options = ClusterOptions.of("b",
				ClusterOptions.parsePeers("a=a.local:1885,b=[fd00::2]:1885,c=c.local:1885"), Path.of("data"),
				PemFiles.of(Path.of("cert"), Path.of("key")).withAuthorities(Path.of("ca")));
		assertThat(options.addressForClients(8883)).isEqualTo("[fd00::2]:8883");
		ClusterOptions advertised = options.withAdvertised(AdvertisedAddress.parse("b.example"))
			.withInitialState(ClusterOptions.InitialState.JOIN);
		assertThat(advertised.addressForClients(8883)).isEqualTo("b.example:8883");
		assertThat(advertised.initialState()).isEqualTo(ClusterOptions.InitialState.JOIN);
	}

	/** A reference is a single name that a CONNACK can contain. */
	@Property(tries = 500)
	void parsesOrRefusesAnyString(@ForAll String text) {
		try {
			assertThat(AdvertisedAddress.parse(text).reference(1883)).doesNotContain(" ", ",", "\u0000", "\n")
				.endsWithIgnoringCase((AdvertisedAddress.parse(text).port() > 0) ? "" : ":1883");
		}
		catch (InvalidOptionException ex) {
			assertThat(ex.option()).isEqualTo("advertise");
		}
	}

}
