package io.statestore.cluster.transport;

import java.io.ByteArrayInputStream;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Base64;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests certificates for the host a.example with various purposes. */
class NodeCertificateTests {

	/** Certificate for a client. */
	private static final String CLIENT = "MIIBmjCCAUCgAwIBAgIUeWZTcsmzIURwUWTf5fW6E1hfcpMwCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBbjAg"
			+ "Fw0yNjExMjMxNzQ0NDdaGA8yMTI2MTAzMDE3NDQ0N1owDDEKMAgGA1UEAwwBbjBZMBMGByqGSM49AgEGCCqG"
			+ "SM49AwEHA0IABFn6rP/b+XuLm8JKkdq02nMwgjMuaaV7xFbgf8ohpMbZtRcKnC7k0ccYCypWXFQb78J5RvhP"
			+ "Tdcr5XVmY5f3A1OjfjB8MB0GA1UdDgQWBBSS1iWGvBIMm+ii7mnkzZJIfJxkyjAfBgNVHSMEGDAWgBSS1iWG"
			+ "vBIMm+ii7mnkzZJIfJxkyjAPBgNVHRMBAf8EBTADAQH/MBQGA1UdEQQNMAuCCWEuZXhhbXBsZTATBgNVHSUE"
			+ "DDAKBggrBgEFBQcDAjAKBggqhkjOPQQDAgNIADBFAiEA+y9ag4hYiRNCLf7Sv/OxJ4aKJIl5yzkzXFK7xVpG"
			+ "y/cCID65UJ3BAFwpoE9n7qqYw2mnMylQMVnpYXO0x4V7tk6y";

	/** Certificate for a server and a client. */
	private static final String NODE = "MIIBpjCCAUygAwIBAgIUXJwqjG3BpJbN3YU12o4zF0NbOBwwCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBbjAg"
			+ "Fw0yNjExMjMxNzQ0NDdaGA8yMTI2MTAzMDE3NDQ0N1owDDEKMAgGA1UEAwwBbjBZMBMGByqGSM49AgEGCCqG"
			+ "SM49AwEHA0IABCNZsGODjhAtcSnRlQt7ODkQHKs5kya2t63i05D0cD3Si0lzup+LjTdpQMvawR505QCvnEVg"
			+ "JuIrOXRPHgZdowSjgYkwgYYwHQYDVR0OBBYEFM4CtHXJm538LxkRFD0G3Ov4hMbQMB8GA1UdIwQYMBaAFM4C"
			+ "tHXJm538LxkRFD0G3Ov4hMbQMA8GA1UdEwEB/wQFMAMBAf8wFAYDVR0RBA0wC4IJYS5leGFtcGxlMB0GA1Ud"
			+ "JQQWMBQGCCsGAQUFBwMBBggrBgEFBQcDAjAKBggqhkjOPQQDAgNIADBFAiEAudbPIrXlMMEWfKPO+GDYIbM8"
			+ "KkL45h0mmS4Tw5/QwmYCIASSeTn/uKph2mG2+cryYle4vQDlNKrEb6MFZHWSlRxc";

	/** Certificate for any purpose. */
	private static final String ANY = "MIIBlzCCATygAwIBAgIUAojtDH9+/SSJQllDPU/69uIMdLAwCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBbjAg"
			+ "Fw0yNjExMjMxNzQ0NDdaGA8yMTI2MTAzMDE3NDQ0N1owDDEKMAgGA1UEAwwBbjBZMBMGByqGSM49AgEGCCqG"
			+ "SM49AwEHA0IABNfel37AsFcYX61c7R4HAjnvQUE5rKCU9VpBX/CDcCB14Q6FP+/PmLeQWjh8jmXtYHglaAgY"
			+ "4BhG1dpWJ10wyAyjejB4MB0GA1UdDgQWBBQ2z5xG7kHoge03KnomKpt9MLd0wjAfBgNVHSMEGDAWgBQ2z5xG"
			+ "7kHoge03KnomKpt9MLd0wjAPBgNVHRMBAf8EBTADAQH/MBQGA1UdEQQNMAuCCWEuZXhhbXBsZTAPBgNVHSUE"
			+ "CDAGBgRVHSUAMAoGCCqGSM49BAMCA0kAMEYCIQDt2NwDfbGjYE669eZm49KTp2alZuCWw+gFGiOVr1tedAIh"
			+ "AOJDn2sZ1EmyuscB9R1aVzdptik+CPpcCakKBtAfJ8Eo";

	/** Certificate for a server. */
	private static final String SERVER = "MIIBmjCCAUCgAwIBAgIUJ2dE77QI6iK4GfcPNv8ao8TVY1AwCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBbjAg"
			+ "Fw0yNjExMjMxNzQ0NDdaGA8yMTI2MTAzMDE3NDQ0N1owDDEKMAgGA1UEAwwBbjBZMBMGByqGSM49AgEGCCqG"
			+ "SM49AwEHA0IABC+5k+n0PRoKKZlZMfbzvzbj+fCVrUBGbzWLNTiawzn7VoDvdYv/v/2Q1CuaWuqOFK1A1RA1"
			+ "3ocVi+5MCLOfHFijfjB8MB0GA1UdDgQWBBS4nfbPV6q9oUJxCGLZwJXnWKcwTjAfBgNVHSMEGDAWgBS4nfbP"
			+ "V6q9oUJxCGLZwJXnWKcwTjAPBgNVHRMBAf8EBTADAQH/MBQGA1UdEQQNMAuCCWEuZXhhbXBsZTATBgNVHSUE"
			+ "DDAKBggrBgEFBQcDATAKBggqhkjOPQQDAgNIADBFAiBnkhz01J1ZKzYybBhehgu8scDygqsrcByLXC3Sst0u"
			+ "fQIhAIhbTrbdfNOvbfkD/Z21tRl+FLwHB/fA00/RN+veq/L8";

	/** Certificate without purposes. */
	private static final String UNLIMITED = "MIIBhTCCASugAwIBAgIUF4ifV0Tg4V5E9hpg/SBQUiSVxj4wCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBbjAg"
			+ "Fw0yNjExMjMxNzQ0NDdaGA8yMTI2MTAzMDE3NDQ0N1owDDEKMAgGA1UEAwwBbjBZMBMGByqGSM49AgEGCCqG"
			+ "SM49AwEHA0IABIdjFjcYeW6c3KPnd30/K/0Sco9SaWH96PHlOP3BKdoZiRE9797qWAsadBtHs2uZR4QuunKD"
			+ "47vnoL8DW91gHpejaTBnMB0GA1UdDgQWBBRpraGH9DJjF8cfo8GlPRqZAZErNTAfBgNVHSMEGDAWgBRpraGH"
			+ "9DJjF8cfo8GlPRqZAZErNTAPBgNVHRMBAf8EBTADAQH/MBQGA1UdEQQNMAuCCWEuZXhhbXBsZTAKBggqhkjO"
			+ "PQQDAgNIADBFAiB9rH93uCtbDrUNizNnl0YiKcMQwpNix6kQSRRAHuvffQIhAJ5kDOu8t0Fufd5QjW4rD+K7"
			+ "5C2o2KyGsx9vtURaFr+C";

	private static boolean isFor(String certificate, String host) throws CertificateException {
		return NodeCertificate.isFor((X509Certificate) CertificateFactory.getInstance("X.509")
			.generateCertificate(new ByteArrayInputStream(Base64.getDecoder().decode(certificate))), host);
	}

	@ParameterizedTest
	@ValueSource(strings = { NODE, ANY, UNLIMITED })
	void acceptsCertificateForClientAndServer(String certificate) throws CertificateException {
		assertThat(isFor(certificate, "a.example")).isTrue();
		assertThat(isFor(certificate, "A.example")).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { CLIENT, SERVER })
	void refusesCertificateForOneRoleOnly(String certificate) throws CertificateException {
		assertThat(isFor(certificate, "a.example")).isFalse();
	}

	@Test
	void refusesCertificateForOtherHost() throws CertificateException {
		assertThat(isFor(NODE, "b.example")).isFalse();
		assertThat(isFor(NODE, "192.0.2.1")).isFalse();
	}

}
