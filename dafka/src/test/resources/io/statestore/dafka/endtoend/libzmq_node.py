"""A node of libzmq with CURVE: publishes records, and prints those that it receives."""
import os
import sys
import time

import zmq

tower_in, tower_out, tower_key, public_key, secret_key = sys.argv[1:]
address = b"C0FFEE00C0FFEE00C0FFEE00C0FFEE00"
context = zmq.Context()


def socket(kind):
    result = context.socket(kind)
    result.linger = 0
    result.curve_publickey = public_key.encode()
    result.curve_secretkey = secret_key.encode()
    return result


publisher = socket(zmq.XPUB)
publisher.curve_server = True
port = publisher.bind_to_random_port("tcp://127.0.0.1")

announce = socket(zmq.PUB)
announce.curve_serverkey = tower_key.encode()
announce.connect("tcp://127.0.0.1:" + tower_in)

beacons = socket(zmq.SUB)
beacons.curve_serverkey = tower_key.encode()
beacons.connect("tcp://127.0.0.1:" + tower_out)
beacons.subscribe(b"B")

subscribers = {}
sequence = 0
while os.getppid() != 1:
    announce.send_multipart([b"B", address + public_key.encode(), b"127.0.0.1", str(port).encode()])
    publisher.send_multipart([b"Mtopic\0\1\x20" + address + b"\x05topic" + sequence.to_bytes(8, "big"),
                              b"from libzmq " + str(sequence).encode()])
    sequence += 1
    while publisher.poll(0):
        publisher.recv()
    while beacons.poll(0):
        kind, name, endpoint = beacons.recv_multipart()
        if endpoint not in subscribers and name[-40:] != public_key.encode():
            subscriber = socket(zmq.SUB)
            subscriber.curve_serverkey = name[-40:]
            subscriber.connect(endpoint.decode())
            subscriber.subscribe(b"M")
            subscribers[endpoint] = subscriber
    for subscriber in subscribers.values():
        while subscriber.poll(0):
            print(subscriber.recv_multipart()[1].decode(), flush=True)
    time.sleep(0.05)
