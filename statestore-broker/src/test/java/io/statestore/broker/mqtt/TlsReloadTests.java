package io.statestore.broker.mqtt;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;

import javax.net.ssl.SSLSocket;

import ch.qos.logback.classic.Level;
import io.statestore.broker.certificates.TestCertificates;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.security.FileChecks;
import io.statestore.broker.security.ServerTls;
import io.statestore.broker.security.ServerTls.ClientAuth;
import io.statestore.test.CapturedLog;
import io.statestore.test.RawMqttConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;

/** Replacing a running broker's certificate. */
@Timeout(60)
@Isolated("captures the log")
class TlsReloadTests {

	@Test
	void usesNewCertificateAndKeepsItIfFilesBreak(@TempDir Path directory) throws Exception {
		TestCertificates certificates = new TestCertificates(directory);
		ServerTls tls = ServerTls.ofPem(certificates.server(), ClientAuth.NONE);
		MqttBrokerSettings settings = new MqttBrokerSettings("localhost", 0, 100_000)
			.withNetwork(NetworkSettings.DEFAULT.withTls(tls));
		try (MqttBroker broker = MqttBroker.start(settings, new EchoServer(), MemoryBudget.unlimited());
				RawMqttConnection client = new RawMqttConnection(certificates.trust().getSocketFactory().createSocket(),
						broker.port());
				CapturedLog log = new CapturedLog("io.statestore.broker.security", Level.INFO)) {
			client.connect("open");
			BigInteger first = serial(broker, certificates);
			certificates.issueServer("localhost", "127.0.0.1");
			FileChecks.run();
			client.ping();
			BigInteger second = serial(broker, certificates);
			assertThat(second).isNotEqualTo(first);
			Path file = directory.resolve("server.pem");
			String valid = Files.readString(file);

			// An incomplete file, a certificate without its key, and a missing file.
			Files.writeString(file, valid.substring(0, valid.length() / 2));
			FileChecks.run();
			assertThat(log.contains("contains no usable certificate")).isTrue();
			Files.writeString(file, new TestCertificates(directory.resolve("other")).serverPem());
			FileChecks.run();
			assertThat(log.contains("does not belong to the first certificate")).isTrue();
			Files.delete(file);
			FileChecks.run();
			assertThat(log.contains("server.pem does not exist")).isTrue();
			assertThat(serial(broker, certificates)).isEqualTo(second);
			client.ping();

			certificates.issueServer("localhost");
			FileChecks.run();
			assertThat(serial(broker, certificates)).isNotEqualTo(second);
			client.ping();
		}
	}

	private static BigInteger serial(MqttBroker broker, TestCertificates certificates) throws IOException {
		SSLSocket socket = (SSLSocket) certificates.trust().getSocketFactory().createSocket();
		try (RawMqttConnection client = new RawMqttConnection(socket, broker.port())) {
			assertThat(client.connect("new").reason()).isZero();
			return ((X509Certificate) socket.getSession().getPeerCertificates()[0]).getSerialNumber();
		}
	}

}
