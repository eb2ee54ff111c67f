# The broker of Debian's package runs when it is installed.
. build/tests/src/test/pages/rabbitmq.sh
