package io.statestore.broker.security;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.AlgorithmParameters;
import java.util.Base64;
import java.util.Objects;

import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.PBEParameterSpec;

import io.statestore.broker.certificates.TestCertificates;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class PemFilesTests {

	private static final String PASSWORD = "key-secret";

	@TempDir
	private Path directory;

	private Path certificate;

	private Path key;

	@BeforeEach
	void createCertificate() throws Exception {
		PemFiles server = new TestCertificates(this.directory).server();
		this.certificate = Objects.requireNonNull(server.certificate());
		this.key = Objects.requireNonNull(server.key());
	}

	@Test
	void readsEncryptedKeyWithFirstLineOfPasswordFile() throws Exception {
		encryptKey();
		Path password = write("password", PASSWORD + "\nsecond line\n");
		assertThat(new PemFiles(this.certificate, this.key, password, null).newContext()).isNotNull();
	}

	@Test
	void namesFileAndNextStepWithoutSecrets() throws Exception {
		String plain = Files.readString(this.key);
		refuses(new PemFiles(this.certificate, this.certificate, null, null),
				this.certificate + " contains no key. Use a PEM file with BEGIN PRIVATE KEY");
		refuses(PemFiles.trusting(this.key),
				this.key + " contains no usable certificate. Use a PEM file with BEGIN CERTIFICATE");
		encryptKey();
		refuses(PemFiles.of(this.certificate, this.key),
				"the key in " + this.key + " is encrypted. Set the file with its password");
		refuses(new PemFiles(this.certificate, this.key, write("password", "wrong-secret"), null),
				"cannot decrypt the key in " + this.key + ". Check the file with its password");
		Files.writeString(this.key, plain.replaceAll("\n[^-]{8}", "\nAAAAAAAA"));
		refuses(PemFiles.of(this.certificate, this.key), "the key in " + this.key + " is not in PKCS #8");
	}

	private static void refuses(PemFiles files, String reason) {
		assertThatIllegalArgumentException().isThrownBy(files::newContext)
			.withMessageContaining(reason)
			.withMessageNotContaining("secret");
	}

	private void encryptKey() throws Exception {
		String text = Files.readString(this.key).replaceAll("-----[^-]+-----|\\s", "");
		String algorithm = "PBEWithSHA1AndDESede";
		SecretKey secret = SecretKeyFactory.getInstance(algorithm)
			.generateSecret(new PBEKeySpec(PASSWORD.toCharArray()));
		Cipher cipher = Cipher.getInstance(algorithm);
		cipher.init(Cipher.ENCRYPT_MODE, secret, new PBEParameterSpec(new byte[8], 1_000));
		byte[] encrypted = cipher.doFinal(Base64.getDecoder().decode(text));
		AlgorithmParameters parameters = cipher.getParameters();
		byte[] encoded = new EncryptedPrivateKeyInfo(parameters, encrypted).getEncoded();
		Files.writeString(this.key,
				"-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
						+ Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(encoded)
						+ "\n-----END ENCRYPTED PRIVATE KEY-----\n");
	}

	private Path write(String name, String text) throws Exception {
		return Files.writeString(this.directory.resolve(name), text);
	}

}
